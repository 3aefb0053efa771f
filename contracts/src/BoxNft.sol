// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {IERC165} from "@openzeppelin/contracts/interfaces/IERC165.sol";
import {IERC4906} from "@openzeppelin/contracts/interfaces/IERC4906.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {Address} from "@openzeppelin/contracts/utils/Address.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {EnumerableSet} from "@openzeppelin/contracts/utils/structs/EnumerableSet.sol";
import {Award} from "./Award.sol";
import {BoxKinds} from "./BoxKinds.sol";
import {BoxMetadata} from "./BoxMetadata.sol";

/// @title Boxes, sold closed and opened to the tier that their id and the pepper decide
/// @notice A box's tier is the first whose cumulative bps exceed keccak256(abi.encode(boxId, pepper)) mod
/// 10000. The pepper's sha256 is on chain before the first sale of its batch. During the sale only the
/// house knows the pepper, and it signs the result of each box. When the batch ends, the pepper is published
/// and boxes open without a signature. Prices are in wei, prizes in the reward token's smallest unit.
///
/// Trust: a box is sold only while the award contract holds its top prize beyond what all other boxes can
/// still win. So neither owner nor signer can take the prize of an opened box, whatever kinds they add and
/// buy. Until the pepper is published, though, the contract can't recognise a wrong tier, so a rogue signer
/// can open a closed box to any tier of its kind: their own to the top, a player's to the lowest. The owner
/// can appoint such a signer, and withdraw what the lower prize releases. The published pepper proves a wrong
/// tier to everyone but reverses nothing. If the house neither signs nor publishes, boxes stay closed.
///
/// The pepper and a box's id reveal its tier, so the id is drawn in the block of the sale. A quick holder of
/// the pepper can still cheat: prevrandao and the previous block's hash are known seconds earlier, which is
/// enough to compute the draws of accounts of their own and buy for the lucky ones. Block builders can do so
/// reliably, as can anyone whose bundle a builder includes entirely or not at all. A builder can also exclude
/// a player's lucky purchase. On a chain with one sequencer, the sequencer is the builder. All of this needs
/// the pepper, so guard it like a key.
contract BoxNft is IERC4906, ERC721, BoxKinds, EIP712 {
    using EnumerableSet for EnumerableSet.UintSet;

    struct Batch {
        bytes32 pepperHash;
        /// Zero until the batch ends.
        bytes32 pepper;
        /// Block numbers; `stoppedAt` is zero during the sale.
        uint64 openedAt;
        uint64 stoppedAt;
        bool isEnded;
    }

    struct Sold {
        uint8 kind;
        uint8 tier;
        bool isOpened;
        uint64 batch;
    }

    /// @notice A box as the views return it. Tier and prize are zero until it is opened.
    struct Box {
        uint256 boxId;
        address owner;
        uint256 kind;
        uint256 batch;
        bool isOpened;
        uint256 tier;
        uint256 prize;
        bytes32 nonce;
    }

    bytes32 public constant OPEN_TYPEHASH = keccak256("Open(uint256 boxId,uint256 tier,uint256 prize,bytes32 nonce)");
    uint256 public constant MAX_PAGE = 100;

    /// @notice The contract that pays the prizes.
    Award public immutable AWARD;

    /// @notice The account that signs the results of boxes.
    address public signer;

    /// @notice The number of the latest batch; the first is 1.
    uint256 public batchCount;
    mapping(uint256 number => Batch) public batches;
    mapping(bytes32 pepperHash => bool) public isHashUsed;

    mapping(address wallet => uint256) public boughtBy;
    mapping(address wallet => uint256) public openedBy;

    /// @notice The most that all boxes sold so far can win: the prizes of opened boxes plus the top prizes of
    /// closed ones.
    uint256 public prizesPromised;

    mapping(uint256 boxId => Sold) private _sold;
    mapping(address owner => EnumerableSet.UintSet) private _owned;

    event Bought(uint256 indexed boxId, address indexed buyer, uint256 kind, uint256 batch);
    event Opened(uint256 indexed boxId, uint256 tier, uint256 prize, bytes32 nonce);
    event BatchOpened(uint256 indexed batch, bytes32 pepperHash);
    event BatchStopped(uint256 indexed batch);
    event BatchEnded(uint256 indexed batch, bytes32 pepper);
    event SignerChanged(address signer);
    event ProceedsWithdrawn(address indexed to, uint256 amount);

    error ZeroAddress();
    error NotForSale(uint256 kind);
    error NoSale();
    error WrongHash();
    error BatchNotEnded(uint256 batch);
    error BatchNotStopped(uint256 batch);
    error WrongPepper();
    error NotPlainAccount();
    error WrongPrice(uint256 expected);
    /// @notice The award contract's leftover is less than the kind's top prize.
    error PrizeNotCovered(uint256 leftover);
    error WrongSignature();
    error WrongNonce(bytes32 expected);
    error WrongPrize(uint256 expected);
    error WrongTier();
    error AlreadyOpened(uint256 boxId);
    error StillClosed(uint256 boxId);
    error PageTooLong();
    error NeedsOwner();

    constructor(address owner_, address signer_, IERC20 rewardToken)
        ERC721("Fairhouse Box", "FHB")
        Ownable(owner_)
        EIP712("FairhouseBox", "1")
    {
        AWARD = new Award(owner_, rewardToken);
        _setSigner(signer_);
    }

    /// @notice Sells one box of `kind` to the caller for its exact price, and reserves the kind's top prize.
    /// @dev A contract that knew the pepper could revert a purchase that draws a bad tier. So only accounts
    /// that run no code can buy: no contract, no contract in its constructor (which has no code yet but is
    /// not the origin), and no account with EIP-7702 code (which is the origin). Each buyer has a serial number
    /// of their own: with a shared one, someone else's purchase just before would change the draw. `_mint`
    /// makes no external call.
    function buy(uint256 kind) external payable returns (uint256 boxId) {
        require(msg.sender == tx.origin && msg.sender.code.length == 0, NotPlainAccount());
        Kind storage k = _kind(kind);
        Batch storage batch = batches[batchCount];
        // No sale in the block that opened the batch: its draws were known when the pepper was chosen.
        require(batch.openedAt != 0 && block.number > batch.openedAt && batch.stoppedAt == 0, NoSale());
        require(k.isForSale, NotForSale(kind));
        require(msg.value == k.price, WrongPrice(k.price));
        uint256 leftover = AWARD.leftover();
        require(k.topPrize <= leftover, PrizeNotCovered(leftover));
        bytes32 parent = blockhash(block.number - 1);
        uint256 serial = boughtBy[msg.sender]++;
        boxId = uint256(keccak256(abi.encode(block.prevrandao, parent, msg.sender, serial, address(this))));
        _sold[boxId] = Sold({kind: uint8(kind), tier: 0, isOpened: false, batch: uint64(batchCount)});
        prizesPromised += k.topPrize;
        _mint(msg.sender, boxId);
        emit Bought(boxId, msg.sender, kind, batchCount);
    }

    /// @notice Opens a box to the signed tier and prize. Anyone can call this, with the same result for the
    /// owner. Once the pepper is published, a signature for any other tier is refused.
    function open(uint256 boxId, uint256 tier, uint256 prize, bytes32 nonce, bytes calldata signature) external {
        bytes32 digest = _hashTypedDataV4(keccak256(abi.encode(OPEN_TYPEHASH, boxId, tier, prize, nonce)));
        (address by,,) = ECDSA.tryRecoverCalldata(digest, signature);
        require(by == signer, WrongSignature());
        require(nonce == nonceOf(boxId), WrongNonce(nonceOf(boxId)));
        require(!batches[_sold[boxId].batch].isEnded || tier == tierOf(boxId), WrongTier());
        uint256 expected = _open(boxId, tier);
        require(prize == expected, WrongPrize(expected));
    }

    /// @notice Opens a box whose pepper is published, without a signature. Anyone can call this.
    function openPublished(uint256 boxId) external {
        _open(boxId, tierOf(boxId));
    }

    /// @notice Opens the next batch with the sha256 of a new pepper. The sale starts in the next block.
    function openBatch(bytes32 pepperHash) external onlyOwner returns (uint256 number) {
        require(batchCount == 0 || batches[batchCount].isEnded, BatchNotEnded(batchCount));
        require(pepperHash != 0 && !isHashUsed[pepperHash], WrongHash());
        isHashUsed[pepperHash] = true;
        number = ++batchCount;
        Batch storage batch = batches[number];
        (batch.pepperHash, batch.openedAt) = (pepperHash, uint64(block.number));
        emit BatchOpened(number, pepperHash);
    }

    /// @notice Ends the sale of the current batch permanently, so that its pepper can be published.
    function stopBatch() external onlyOwner {
        Batch storage batch = batches[batchCount];
        require(batch.openedAt != 0 && batch.stoppedAt == 0, NoSale());
        batch.stoppedAt = uint64(block.number);
        emit BatchStopped(batchCount);
    }

    /// @notice Publishes the pepper of the current batch. Anyone who knows the pepper can call this.
    /// @dev Requires a later block than the end of the sale. Otherwise anyone who saw the pepper in a pending
    /// transaction could buy boxes before it was mined.
    function endBatch(bytes32 pepper) external {
        Batch storage batch = batches[batchCount];
        require(batch.stoppedAt != 0 && block.number > batch.stoppedAt && !batch.isEnded, BatchNotStopped(batchCount));
        require(sha256(abi.encode(pepper)) == batch.pepperHash, WrongPepper());
        (batch.pepper, batch.isEnded) = (pepper, true);
        emit BatchEnded(batchCount, pepper);
    }

    /// @notice Replaces the signer immediately, so that a leaked key stops working. Signatures of the former
    /// signer that nobody has submitted become invalid and must be replaced.
    function setSigner(address signer_) external onlyOwner {
        _setSigner(signer_);
    }

    /// @notice Withdraws proceeds of box sales. All of them are the house's: prizes are paid in another token.
    function withdrawProceeds(address payable to, uint256 amount) external onlyOwner {
        require(to != address(0), ZeroAddress());
        emit ProceedsWithdrawn(to, amount);
        Address.sendValue(to, amount);
    }

    /// @notice Always reverts: without an owner, nobody could stop a batch or withdraw the proceeds.
    function renounceOwnership() public view override onlyOwner {
        revert NeedsOwner();
    }

    /// @notice Returns the nonce of a box's opening. It belongs to that box alone, so no signature opens two.
    function nonceOf(uint256 boxId) public pure returns (bytes32) {
        return keccak256(abi.encode(boxId));
    }

    /// @notice Returns a box's tier according to its batch's published pepper.
    function tierOf(uint256 boxId) public view returns (uint256) {
        _requireOwned(boxId);
        Sold storage sold = _sold[boxId];
        Batch storage batch = batches[sold.batch];
        require(batch.isEnded, BatchNotEnded(sold.batch));
        return tierBy(boxId, batch.pepper, sold.kind);
    }

    /// @notice Returns the latest batch, or an empty one before the first.
    function currentBatch() external view returns (uint256 number, Batch memory batch) {
        return (batchCount, batches[batchCount]);
    }

    /// @notice Returns a box and its owner.
    function box(uint256 boxId) public view returns (Box memory b) {
        b.owner = _requireOwned(boxId);
        Sold storage sold = _sold[boxId];
        (b.boxId, b.nonce, b.kind, b.batch) = (boxId, nonceOf(boxId), sold.kind, sold.batch);
        if (sold.isOpened) (b.isOpened, b.tier, b.prize) = (true, sold.tier, _kinds[sold.kind].tiers[sold.tier].prize);
    }

    /// @notice Returns a box's name, picture and attributes as a data URI.
    function tokenURI(uint256 boxId) public view override returns (string memory) {
        return BoxMetadata.uriOf(box(boxId));
    }

    /// @notice Returns whether the contract has an interface: ERC-721 with metadata, and ERC-4906, whose id the
    /// standard sets, because it has no functions.
    function supportsInterface(bytes4 interfaceId) public view override(ERC721, IERC165) returns (bool) {
        return interfaceId == 0x49064906 || super.supportsInterface(interfaceId);
    }

    /// @notice Returns up to `count` of a wallet's `balanceOf` boxes. When a box leaves the wallet, the last
    /// box takes its place in the order.
    function boxesOf(address wallet, uint256 from, uint256 count) external view returns (Box[] memory boxes) {
        require(count <= MAX_PAGE, PageTooLong());
        uint256 length = _owned[wallet].length();
        if (from > length) from = length;
        if (count > length - from) count = length - from;
        boxes = new Box[](count);
        for (uint256 i = 0; i < count; i++) boxes[i] = box(_owned[wallet].at(from + i));
    }

    /// @dev A closed box stays with its buyer. Otherwise a holder of the pepper could sell a box known to be
    /// worth little.
    function _update(address to, uint256 boxId, address auth) internal override returns (address from) {
        from = super._update(to, boxId, auth);
        require(from == address(0) || _sold[boxId].isOpened, StillClosed(boxId));
        if (from != address(0)) _owned[from].remove(boxId);
        _owned[to].add(boxId);
    }

    function _open(uint256 boxId, uint256 tier) private returns (uint256 prize) {
        address owner_ = _requireOwned(boxId);
        Sold storage sold = _sold[boxId];
        require(!sold.isOpened, AlreadyOpened(boxId));
        Kind storage k = _kinds[sold.kind];
        require(tier < k.tiers.length, WrongTier());
        (sold.isOpened, sold.tier) = (true, uint8(tier));
        prize = k.tiers[tier].prize;
        prizesPromised -= k.topPrize - prize;
        openedBy[owner_]++;
        emit Opened(boxId, tier, prize, nonceOf(boxId));
        // Marketplaces read its metadata again.
        emit MetadataUpdate(boxId);
    }

    function _setSigner(address signer_) private {
        require(signer_ != address(0), ZeroAddress());
        signer = signer_;
        emit SignerChanged(signer_);
    }
}
