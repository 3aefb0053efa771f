// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Ownable, Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Permit.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {Pausable} from "@openzeppelin/contracts/utils/Pausable.sol";
import {ReentrancyGuard} from "@openzeppelin/contracts/utils/ReentrancyGuard.sol";

/// @title The tokens behind the chips
/// @notice Holds what players deposit and what the house puts up, in ETH (the zero address) and USDG.
/// Amounts are in the token's smallest unit.
///
/// Trust: chips change hands off chain, so the vault cannot know whose they are. A player's own money
/// leaves in a player's name only with that player's signature, but what the vault holds is one pot: the
/// relayer, with an address of its own for a player, can sign for all of it. So the relayer is trusted with
/// everything, and its key is the one to guard; the vault holds it only to its books. How much the house
/// has won is the relayer's word too. The owner alone can take only the house's share by that word, can
/// pause, and has to name another relayer two days ahead, time in which the present one can still pay.
contract Vault is Ownable2Step, Pausable, ReentrancyGuard, EIP712 {
    using SafeERC20 for IERC20;

    /// @notice What went through the vault in one token, each a sum since deployment. Tokens that arrive
    /// in any other way are in none of them, and are never paid out.
    struct Books {
        uint256 deposited;
        uint256 withdrawn;
        uint256 funded;
        uint256 houseWithdrawn;
        /// What the house has won from players so far; below zero where it has lost.
        int256 houseResult;
        /// When the relayer last said so, in seconds.
        uint256 houseResultAt;
    }

    bytes32 public constant WITHDRAW_TYPEHASH =
        keccak256("Withdraw(address player,address token,uint256 amount,uint256 nonce)");

    /// @notice Bets go on, so the house's result is good for a withdrawal only this long, in seconds.
    uint256 public constant HOUSE_RESULT_TTL = 1 hours;

    /// @notice A new relayer is announced this long before it can take over, in seconds.
    uint256 public constant RELAYER_DELAY = 2 days;

    /// @notice The most gas a contract wallet may use to check its signature (ERC-1271). A passkey takes
    /// 200,000 to 350,000. The relayer pays for it, so it has to end somewhere.
    uint256 public constant SIGNATURE_GAS = 400_000;

    /// @notice The most gas a contract may use to receive ETH, the stipend of the call included.
    uint256 public constant RECEIVE_GAS = 60_000;

    address public constant ETH = address(0);

    /// @dev Every call that carries value adds this to the gas of the called contract.
    uint256 private constant CALL_STIPEND = 2_300;

    /// @dev More than a call itself costs: access to a cold account and to the one it delegates to
    /// (EIP-7702), and the transfer of value.
    uint256 private constant CALL_OVERHEAD = 13_000;

    /// @notice The one ERC-20 token the vault takes.
    IERC20 public immutable USDG;

    /// @notice The only account that pays withdrawals out and burns nonces.
    address public relayer;

    /// @notice Who may take over from the relayer, and from when, in seconds.
    address public nextRelayer;
    uint256 public nextRelayerFrom;

    /// @notice The nonce that each player's next withdrawal has to carry.
    mapping(address player => uint256) public nonces;

    mapping(address token => Books) public books;

    /// @notice How often the vault has been paused.
    uint256 public pauses;

    /// @notice In which pause, counted from 1, the relayer last burned a nonce of a player; 0 for none.
    mapping(address player => uint256) public burnedInPause;

    event Deposited(address indexed player, address indexed token, uint256 amount);
    event Funded(address indexed from, address indexed token, uint256 amount);
    event Withdrawn(address indexed player, address indexed token, uint256 amount, uint256 nonce);
    event NonceBurned(address indexed player, uint256 nonce);
    event HouseResultRecorded(address indexed token, int256 result);
    event HouseWithdrawn(address indexed to, address indexed token, uint256 amount);
    event RelayerAnnounced(address relayer, uint256 from);
    event RelayerChanged(address relayer);

    error NotRelayer();
    error ZeroAddress();
    error ZeroAmount();
    error UnknownToken(address token);
    /// @notice The value sent, or the tokens received, are not the amount.
    error WrongAmount(uint256 expected, uint256 received);
    error WrongNonce(uint256 expected);
    error WrongSignature();
    /// @notice The transaction has too little gas for the called contract to get all that it may use.
    error TooLittleGas();
    /// @notice While the vault is paused, one nonce of each player can be burned.
    error AlreadyBurnedInPause();
    error AboveVault(uint256 available);
    error AboveHouseFunds(uint256 available);
    error HouseResultTooOld(uint256 recordedAt);
    error TransferFailed();
    error NotNextRelayer();
    error TooEarly(uint256 from);
    error NeedsOwner();

    modifier onlyRelayer() {
        require(msg.sender == relayer, NotRelayer());
        _;
    }

    modifier movesKnownToken(address token, uint256 amount) {
        require(token == ETH || token == address(USDG), UnknownToken(token));
        require(amount > 0, ZeroAmount());
        _;
    }

    constructor(address owner_, address relayer_, IERC20 usdg) Ownable(owner_) EIP712("FairhouseVault", "1") {
        require(address(usdg) != address(0), ZeroAddress());
        USDG = usdg;
        _setRelayer(relayer_);
    }

    /// @notice Puts `amount` into the vault for the caller, whose chips follow.
    function deposit(address token, uint256 amount) external payable {
        _deposit(token, amount);
    }

    /// @notice The same with an EIP-2612 permit in place of an allowance. A permit that somebody else
    /// has already used does no harm: then the allowance is there.
    function depositWithPermit(address token, uint256 amount, uint256 deadline, uint8 v, bytes32 r, bytes32 s)
        external
    {
        require(token == address(USDG), UnknownToken(token));
        try IERC20Permit(token).permit(msg.sender, address(this), amount, deadline, v, r, s) {} catch {}
        _deposit(token, amount);
    }

    /// @notice Puts `amount` up for the house, from anybody.
    function fund(address token, uint256 amount)
        external
        payable
        whenNotPaused
        nonReentrant
        movesKnownToken(token, amount)
    {
        books[token].funded += amount;
        _receive(token, amount);
        emit Funded(msg.sender, token, amount);
    }

    /// @notice Pays a player what they have signed for, and uses up the nonce before it calls anybody.
    /// What the player's own code may cost is bounded: see SIGNATURE_GAS and RECEIVE_GAS.
    function withdraw(address player, address token, uint256 amount, uint256 nonce, bytes calldata signature)
        external
        onlyRelayer
        whenNotPaused
        nonReentrant
        movesKnownToken(token, amount)
    {
        _useNonce(player, nonce);
        bytes32 digest = _hashTypedDataV4(keccak256(abi.encode(WITHDRAW_TYPEHASH, player, token, amount, nonce)));
        require(_isSignedBy(player, digest, signature), WrongSignature());
        uint256 available = holdings(token);
        require(amount <= available, AboveVault(available));
        books[token].withdrawn += amount;
        _send(player, token, amount);
        emit Withdrawn(player, token, amount, nonce);
    }

    /// @notice Makes a player's signature over `nonce` worthless. It works while the vault is paused, so that
    /// a withdrawal that cannot be paid can be given back, but only once a player and pause: a wallet has one
    /// withdrawal in progress at most, and the service accepts none while the vault is paused. So a stolen
    /// relayer key, the likeliest reason for a pause, cannot void one signature of a player after the other.
    /// A limit on all burns of a day would let it aim all of them at one player, and would make
    /// honest withdrawals wait for days where many are in progress.
    function burnNonce(address player, uint256 nonce) external onlyRelayer {
        _useNonce(player, nonce);
        if (paused()) {
            require(burnedInPause[player] != pauses, AlreadyBurnedInPause());
            burnedInPause[player] = pauses;
        }
        emit NonceBurned(player, nonce);
    }

    /// @notice Takes the relayer's word on what the house has won in all so far. A total, not a change:
    /// saying it twice does no harm, and deposits or withdrawals in between do not make it wrong.
    function recordHouseResult(address token, int256 result) external onlyRelayer {
        Books storage book = books[token];
        book.houseResult = result;
        book.houseResultAt = block.timestamp;
        emit HouseResultRecorded(token, result);
    }

    /// @notice Takes out what is the house's, never what is the players'.
    function withdrawHouse(address token, uint256 amount, address to)
        external
        onlyOwner
        nonReentrant
        movesKnownToken(token, amount)
    {
        Books storage book = books[token];
        require(to != address(0), ZeroAddress());
        require(block.timestamp - book.houseResultAt <= HOUSE_RESULT_TTL, HouseResultTooOld(book.houseResultAt));
        uint256 available = houseFunds(token);
        require(amount <= available, AboveHouseFunds(available));
        book.houseWithdrawn += amount;
        _send(to, token, amount);
        emit HouseWithdrawn(to, token, amount);
    }

    /// @notice Names the next relayer. The present one goes on until it takes over; the zero address
    /// takes an announcement back.
    function announceRelayer(address relayer_) external onlyOwner {
        nextRelayer = relayer_;
        nextRelayerFrom = block.timestamp + RELAYER_DELAY;
        emit RelayerAnnounced(relayer_, nextRelayerFrom);
    }

    /// @notice Called by the announced relayer, which so shows that its key works.
    function takeOverAsRelayer() external {
        require(msg.sender == nextRelayer, NotNextRelayer());
        require(block.timestamp >= nextRelayerFrom, TooEarly(nextRelayerFrom));
        nextRelayer = address(0);
        _setRelayer(msg.sender);
    }

    /// @notice Stops deposits, funding and players' withdrawals.
    function pause() external onlyOwner {
        _pause();
        pauses++;
    }

    function unpause() external onlyOwner {
        _unpause();
    }

    /// @notice Nobody could unpause the vault any more, so there is always an owner.
    function renounceOwnership() public view override onlyOwner {
        revert NeedsOwner();
    }

    /// @notice What the vault holds by its books.
    function holdings(address token) public view returns (uint256) {
        Books storage book = books[token];
        return book.deposited + book.funded - book.withdrawn - book.houseWithdrawn;
    }

    /// @notice What of it is the players': all they deposited and did not withdraw, less what the house
    /// has won from them by the latest word.
    function playerFunds(address token) public view returns (uint256) {
        Books storage book = books[token];
        int256 owed = int256(book.deposited) - int256(book.withdrawn) - book.houseResult;
        return owed > 0 ? uint256(owed) : 0;
    }

    /// @notice What of it is the house's: what is there beyond the players' share.
    function houseFunds(address token) public view returns (uint256) {
        (uint256 all, uint256 players) = (holdings(token), playerFunds(token));
        return all > players ? all - players : 0;
    }

    function _deposit(address token, uint256 amount)
        private
        whenNotPaused
        nonReentrant
        movesKnownToken(token, amount)
    {
        books[token].deposited += amount;
        _receive(token, amount);
        emit Deposited(msg.sender, token, amount);
    }

    function _useNonce(address player, uint256 nonce) private {
        uint256 expected = nonces[player];
        require(nonce == expected, WrongNonce(expected));
        nonces[player] = expected + 1;
    }

    function _receive(address token, uint256 amount) private {
        if (token == ETH) {
            require(msg.value == amount, WrongAmount(amount, msg.value));
            return;
        }
        require(msg.value == 0, WrongAmount(0, msg.value));
        uint256 before = USDG.balanceOf(address(this));
        USDG.safeTransferFrom(msg.sender, address(this), amount);
        uint256 received = USDG.balanceOf(address(this)) - before;
        require(received == amount, WrongAmount(amount, received));
    }

    /// @dev As OpenZeppelin's SignatureChecker, but with bounded gas: an account with code is asked
    /// (ERC-1271), also where it has a key (EIP-7702). A call gets at most 63/64 of the gas that is left
    /// (EIP-150), so a refusal counts only if the wallet could have had all of SIGNATURE_GAS.
    function _isSignedBy(address player, bytes32 digest, bytes calldata signature) private view returns (bool) {
        if (player.code.length == 0) {
            (address signer, ECDSA.RecoverError problem,) = ECDSA.tryRecoverCalldata(digest, signature);
            return problem == ECDSA.RecoverError.NoError && signer == player;
        }
        bytes memory question = abi.encodeCall(IERC1271.isValidSignature, (digest, signature));
        bool isAnswered;
        bytes32 answer;
        uint256 gasBefore = gasleft();
        assembly ("memory-safe") {
            isAnswered := staticcall(SIGNATURE_GAS, player, add(question, 0x20), mload(question), 0, 0x20)
            isAnswered := and(isAnswered, gt(returndatasize(), 0x1f))
            answer := mload(0)
        }
        if (isAnswered && answer == bytes32(IERC1271.isValidSignature.selector)) return true;
        require(gasBefore >= _gasToPassOn(SIGNATURE_GAS), TooLittleGas());
        return false;
    }

    /// @dev Reads nothing of what a receiving contract returns: it may be very long. Such a contract gets all
    /// of RECEIVE_GAS or the transaction reverts: with less it might take the ETH and skip its own books.
    function _send(address to, address token, uint256 amount) private {
        if (token != ETH) return USDG.safeTransfer(to, amount);
        require(to.code.length == 0 || gasleft() >= _gasToPassOn(RECEIVE_GAS), TooLittleGas());
        bool isSent;
        assembly ("memory-safe") {
            isSent := call(sub(RECEIVE_GAS, CALL_STIPEND), to, amount, 0, 0, 0, 0)
        }
        require(isSent, TransferFailed());
    }

    /// @dev What has to be left so that a call passes on `amount` of gas.
    function _gasToPassOn(uint256 amount) private pure returns (uint256) {
        return (amount * 64) / 63 + CALL_OVERHEAD;
    }

    function _setRelayer(address relayer_) private {
        require(relayer_ != address(0), ZeroAddress());
        relayer = relayer_;
        emit RelayerChanged(relayer_);
    }
}
