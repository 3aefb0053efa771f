// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Ownable, Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Address} from "@openzeppelin/contracts/utils/Address.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {ReentrancyGuard} from "@openzeppelin/contracts/utils/ReentrancyGuard.sol";

/// @notice The function of a Uniswap v2 router that the pool uses.
interface ISwapRouter {
    function swapETHForExactTokens(uint256 amountOut, address[] calldata path, address to, uint256 deadline)
        external
        payable
        returns (uint256[] memory amounts);
}

/// @title Pool that collects lootbox payments and pays the prizes
/// @notice Accepts plain transfers of the chain's native coin. Pays each prize once, by its id: in that coin, in
/// tokens it holds, or in tokens that it buys on the router, which sends them straight to the winner.
///
/// Trust: the payer decides each prize and is trusted with the whole pool, so its key must be guarded. The
/// owner can also withdraw the whole pool, including prizes won and not yet paid.
contract PrizePool is Ownable2Step, ReentrancyGuard {
    using SafeERC20 for IERC20;

    /// @notice The only account that can pay prizes.
    address public payer;

    ISwapRouter public immutable ROUTER;

    mapping(bytes32 id => bool) public isPaid;

    event Received(address indexed from, uint256 amount);
    event Paid(bytes32 indexed id, address indexed to, address indexed token, uint256 amount);
    event PayerChanged(address payer);
    event Withdrawn(address indexed to, address indexed token, uint256 amount);

    error NotPayer();
    error ZeroAddress();
    error AlreadyPaid(bytes32 id);
    error NotPaid(uint256 amount);
    error NeedsOwner();

    /// @dev Marks the prize as paid before sending anything, so that reentering can't pay it twice.
    modifier once(bytes32 id) {
        require(msg.sender == payer, NotPayer());
        require(!isPaid[id], AlreadyPaid(id));
        isPaid[id] = true;
        _;
    }

    /// @dev Reverts if less arrives than is sent, as with tokens that take fees: the prize stays owed. Allows a
    /// millionth less, since tokens whose balances are rounded shares of a total may deliver some units less.
    modifier delivers(address token, address to, uint256 amount) {
        uint256 before = IERC20(token).balanceOf(to);
        _;
        uint256 arrived = IERC20(token).balanceOf(to) - before;
        require(arrived >= amount - amount / 1e6, NotPaid(amount));
    }

    constructor(address owner_, address payer_, ISwapRouter router) Ownable(owner_) {
        _setPayer(payer_);
        ROUTER = router;
    }

    /// @notice Receives lootbox payments, the house's funding and the router's refunds.
    receive() external payable {
        emit Received(msg.sender, msg.value);
    }

    /// @notice Pays a prize in the chain's native coin, in wei.
    function payNative(bytes32 id, address to, uint256 amount) external nonReentrant once(id) {
        emit Paid(id, to, address(0), amount);
        _give(to, amount);
    }

    /// @notice Pays a prize in a token that the pool holds.
    function payToken(bytes32 id, IERC20 token, address to, uint256 amount)
        external
        nonReentrant
        once(id)
        delivers(address(token), to, amount)
    {
        emit Paid(id, to, address(token), amount);
        token.safeTransfer(to, amount);
    }

    /// @notice Pays a prize by buying exactly `amount` of the last token of `path` for `to`, for at most `maxIn` wei
    /// or all the pool has, if that is less.
    /// @param deadline in unix seconds
    function paySwap(
        bytes32 id,
        address[] calldata path,
        address to,
        uint256 amount,
        uint256 maxIn,
        uint256 deadline
    ) external nonReentrant once(id) delivers(path[path.length - 1], to, amount) {
        emit Paid(id, to, path[path.length - 1], amount);
        // The router sends the exact amount or reverts. Its refund arrives through receive().
        ROUTER.swapETHForExactTokens{value: Math.min(maxIn, address(this).balance)}(amount, path, to, deadline);
    }

    function setPayer(address payer_) external onlyOwner {
        _setPayer(payer_);
    }

    /// @notice Withdraws the chain's native coin (the zero address) or a token.
    function withdraw(address token, address payable to, uint256 amount) external onlyOwner nonReentrant {
        require(to != address(0), ZeroAddress());
        emit Withdrawn(to, token, amount);
        if (token == address(0)) Address.sendValue(to, amount);
        else IERC20(token).safeTransfer(to, amount);
    }

    /// @notice Always reverts: without an owner, nobody could replace the payer or withdraw the remainder.
    function renounceOwnership() public view override onlyOwner {
        revert NeedsOwner();
    }

    /// @dev Sends coins without running the winner's code. That code could accept them in an estimate and refuse
    /// them in the transaction, and so make the payer waste gas again and again. Instead, a temporary contract
    /// receives the coins and destroys itself in its constructor, which passes them to `to` (PUSH20 to,
    /// SELFDESTRUCT).
    function _give(address to, uint256 amount) private {
        address made;
        assembly ("memory-safe") {
            mstore(0, to)
            mstore8(11, 0x73)
            mstore8(32, 0xff)
            made := create(amount, 11, 22)
        }
        require(made != address(0), NotPaid(amount));
    }

    function _setPayer(address payer_) private {
        require(payer_ != address(0), ZeroAddress());
        payer = payer_;
        emit PayerChanged(payer_);
    }
}
