// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Ownable, Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {BoxNft} from "./BoxNft.sol";

/// @title Pays what boxes have won
/// @notice Holds reward tokens, and pays the prize of an opened box once, to whoever has the box then.
/// Who takes a box over from somebody else should look here first whether its prize is paid.
///
/// Trust: nobody has to put tokens in, but the owner can take out only what no box can need any more. A
/// prize that is not there yet can be claimed when it is.
contract Award is Ownable2Step {
    using SafeERC20 for IERC20;

    BoxNft public immutable BOXES;
    IERC20 public immutable TOKEN;

    /// @notice All prizes paid so far.
    uint256 public paid;

    mapping(bytes32 nonce => bool) public isClaimed;
    mapping(address wallet => uint256) public claimedBy;

    event Claimed(uint256 indexed boxId, address indexed owner, uint256 prize, bytes32 nonce);
    event Withdrawn(address indexed to, uint256 amount);

    error ZeroAddress();
    error NotOpened(uint256 boxId);
    error WrongNonce(bytes32 expected);
    error AlreadyClaimed(bytes32 nonce);
    error AboveLeftover(uint256 available);
    error NeedsOwner();

    constructor(address owner_, BoxNft boxes, IERC20 token) Ownable(owner_) {
        require(address(boxes) != address(0) && address(token) != address(0), ZeroAddress());
        (BOXES, TOKEN) = (boxes, token);
    }

    /// @notice Pays the prize of a box to its owner. Anybody may call it for them.
    function claim(uint256 boxId, bytes32 nonce) external {
        BoxNft.Box memory box = BOXES.box(boxId);
        require(box.isOpened, NotOpened(boxId));
        require(nonce == box.nonce, WrongNonce(box.nonce));
        require(!isClaimed[nonce], AlreadyClaimed(nonce));
        isClaimed[nonce] = true;
        claimedBy[box.owner]++;
        paid += box.prize;
        emit Claimed(boxId, box.owner, box.prize, nonce);
        TOKEN.safeTransfer(box.owner, box.prize);
    }

    /// @notice Takes out tokens that no box can need: more than the prizes of all opened boxes and the top
    /// prizes of all closed ones, less what is paid, has to stay.
    function withdraw(address to, uint256 amount) external onlyOwner {
        require(to != address(0), ZeroAddress());
        uint256 available = leftover();
        require(amount <= available, AboveLeftover(available));
        emit Withdrawn(to, amount);
        TOKEN.safeTransfer(to, amount);
    }

    /// @notice Nobody could take the leftover any more, so there is always an owner.
    function renounceOwnership() public view override onlyOwner {
        revert NeedsOwner();
    }

    /// @notice The most that boxes sold so far can still claim.
    function owed() public view returns (uint256) {
        return BOXES.prizesPromised() - paid;
    }

    function leftover() public view returns (uint256) {
        (uint256 held, uint256 needed) = (TOKEN.balanceOf(address(this)), owed());
        return held > needed ? held - needed : 0;
    }

    /// @notice A page of a wallet's boxes as BoxNft has it, and of each whether its prize is paid.
    function boxesOf(address wallet, uint256 from, uint256 count)
        external
        view
        returns (BoxNft.Box[] memory boxes, bool[] memory areClaimed)
    {
        boxes = BOXES.boxesOf(wallet, from, count);
        areClaimed = new bool[](boxes.length);
        for (uint256 i = 0; i < boxes.length; i++) areClaimed[i] = isClaimed[boxes[i].nonce];
    }

    /// @notice How many boxes a wallet has bought and opened, and of how many it was paid the prize.
    function totalsOf(address wallet) external view returns (uint256 bought, uint256 opened, uint256 claimed) {
        return (BOXES.boughtBy(wallet), BOXES.openedBy(wallet), claimedBy[wallet]);
    }
}
